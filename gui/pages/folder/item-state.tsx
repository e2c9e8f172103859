import type { ItemJson } from '../../../src/rest/twinfold.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { ITEM_TONES, type ItemCode } from '../../view-model/item-state.ts'
import type { Tone } from '../../base/tone.ts'
import { t, type TextKey } from '../../i18n/texts.ts'

const STATES = {
  here: ['check', 'files.here'],
  older: ['clock', 'files.older'],
  missing: ['down', 'files.missing'],
  extra: ['warning', 'files.extra'],
  ignored: ['close', 'files.ignored'],
  deleted: ['trash', 'files.gone'],
  unknown: ['search', 'files.unknown'],
  toDelete: ['trash', 'files.deleted'],
  differs: ['warning', 'files.differs'],
  dropped: ['close', 'choose.dropped'],
} as const satisfies Readonly<Record<ItemCode, readonly [IconName, TextKey]>>

/** The state of the local copy of an item: text, with an icon and a colour of the same meaning. */
export function ItemState({ code }: { readonly code: ItemCode }) {
  const [icon, word] = STATES[code]
  return (
    <span class={`state ${ITEM_TONES[code]}`}>
      <Icon name={icon} size={16} />
      <span>{t(word)}</span>
    </span>
  )
}

type Version = ItemJson['devices'][number]['version']

const MARKS: Readonly<Record<Version, readonly [Tone, IconName]>> = {
  newest: ['good', 'check'],
  older: ['wait', 'clock'],
  none: ['off', 'close'],
}

/** What another device has of an item, as a mark with its name; the sentence is the tooltip and for screen readers. */
export function DeviceMark({ name, version }: { readonly name: string; readonly version: Version }) {
  const [tone, icon] = MARKS[version]
  const sentence = t(`mark.${version}`, { device: name })
  return (
    <li class={`mark ${tone}`} title={sentence}>
      <Icon name={icon} size={14} />
      <span class="mark-name" aria-hidden="true">
        {name}
      </span>
      <span class="unseen">{sentence}</span>
    </li>
  )
}

/** How many of many devices have the newest version of an item. */
export function NewestVersionCount({ devices }: Pick<ItemJson, 'devices'>) {
  const have = devices.filter(({ version }) => version === 'newest').length
  const [tone, icon] = MARKS[have === devices.length ? 'newest' : have === 0 ? 'none' : 'older']
  return (
    <span class={`mark ${tone}`}>
      <Icon name={icon} size={14} />
      <span class="mark-text">{t('files.devicesWithNewest', { have, n: devices.length })}</span>
    </span>
  )
}

/** The same in a sentence of its own. */
export function DeviceVersion({ version }: { readonly version: Version }) {
  const [tone, icon] = MARKS[version]
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} size={16} />
      <span>{t(`version.${version}`)}</span>
    </span>
  )
}
