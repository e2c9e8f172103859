import type { ItemJson, WhyJson } from '../../../src/rest/twinfold.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import type { Tone } from '../../facts/tone.ts'
import { t, type TextKey } from '../../words/words.ts'

const STATES = {
  here: ['good', 'check', 'files.here'],
  older: ['wait', 'clock', 'files.older'],
  missing: ['wait', 'down', 'files.missing'],
  extra: ['wait', 'warning', 'files.extra'],
  ignored: ['off', 'close', 'files.ignored'],
  deleted: ['off', 'trash', 'files.gone'],
  unknown: ['off', 'search', 'files.unknown'],
} as const satisfies Readonly<Record<WhyJson['state'], readonly [Tone, IconName, TextKey]>>

/** The state of the local copy of an item: text, with an icon and a colour of the same meaning. */
export function ItemState({
  state,
  deleted = false,
}: {
  readonly state: WhyJson['state']
  readonly deleted?: boolean
}) {
  const [tone, icon, word] =
    deleted && state === 'older' ? (['wait', 'trash', 'files.deleted'] as const) : STATES[state]
  return (
    <span class={`state ${tone}`}>
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
