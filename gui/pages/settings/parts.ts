import type { Config } from '../../../src/core/config/config.ts'
import { DEVICE, DEFAULT_IGNORES } from '../../../src/core/config/config-fields.ts'
import { changesIn, wrongsIn, type FormEdits, type FormField } from '../../view-model/form.ts'
import { formField } from '../../view-model/form-field.ts'
import {
  ADVANCED_FIELDS,
  DEVICE_FIELDS,
  FOLDER_FIELDS,
  GUI_FIELDS,
  OPTION_FIELDS,
} from '../../view-model/form-fields.ts'
import { client } from '../../live/client.ts'
import { live, useLive } from '../../live/live.ts'
import { reloadNow } from '../../live/load.ts'
import { Store, useStore } from '../../base/store.ts'
import type { Form } from '../edit/use-form.ts'

interface Part {
  readonly fields: readonly FormField[]
  readonly of: (config: Config, localId: string) => unknown
  readonly save: (changes: Readonly<Record<string, unknown>>, localId: string) => Promise<unknown>
}

/** The parts of the config that the settings are about, in the order in which they are saved: the page itself last. */
const PARTS = {
  thisDevice: {
    fields: [formField(DEVICE, 'name', 'thisDevice')],
    of: ({ devices }, localId) => devices.find(({ deviceID }) => deviceID === localId),
    save: (body, id) => client.call('PATCH /rest/config/devices/:id', { id, body }),
  },
  folder: {
    fields: FOLDER_FIELDS.filter(({ name }) => name !== 'label'),
    of: ({ defaults }) => defaults.folder,
    save: (body) => client.call('PATCH /rest/config/defaults/folder', { body }),
  },
  device: {
    fields: DEVICE_FIELDS.filter(({ name }) => name !== 'name'),
    of: ({ defaults }) => defaults.device,
    save: (body) => client.call('PATCH /rest/config/defaults/device', { body }),
  },
  ignores: {
    fields: [formField(DEFAULT_IGNORES, 'lines', 'ignores')],
    of: ({ defaults }) => defaults.ignores,
    save: (body) => client.call('PUT /rest/config/defaults/ignores', { body }),
  },
  options: {
    fields: [...OPTION_FIELDS, ...ADVANCED_FIELDS.options],
    of: ({ options }) => options,
    save: (body) => client.call('PATCH /rest/config/options', { body }),
  },
  gui: {
    fields: [...GUI_FIELDS, ...ADVANCED_FIELDS.gui],
    of: ({ gui }) => gui,
    save: (body) => client.call('PATCH /rest/config/gui', { body }),
  },
} as const satisfies Readonly<Record<string, Part>>

export type PartName = keyof typeof PARTS

const PART_NAMES: readonly PartName[] = ['thisDevice', 'folder', 'device', 'ignores', 'options', 'gui']

const NONE: FormEdits = {}

/** What was typed and not saved yet. Kept while other pages are shown. */
const edits = new Store<Readonly<Partial<Record<PartName, FormEdits>>>>({})

/** One part of the settings as a form. */
export function usePart(name: PartName): Form {
  const config = useLive((state) => state.config)
  const localId = useLive((state) => state.system?.myID) ?? ''
  const typed = useStore(edits, (all) => all[name] ?? NONE)
  const fields: readonly FormField[] = PARTS[name].fields
  const part = config && PARTS[name].of(config, localId)
  return {
    fields,
    part,
    edits: typed,
    wrongs: wrongsIn(fields, part, typed),
    set: (field, value) => edits.update((all) => ({ ...all, [name]: { ...all[name], [field]: value } })),
  }
}

/** What saving would change, by part; parts without changes are left out. */
export interface PendingChanges {
  readonly changes: Readonly<Partial<Record<PartName, Readonly<Record<string, unknown>>>>>
  readonly count: number
  readonly hasWrong: boolean
}

export function usePendingChanges(): PendingChanges {
  const config = useLive((state) => state.config)
  const localId = useLive((state) => state.system?.myID) ?? ''
  return pendingIn(
    config,
    localId,
    useStore(edits, (all) => all),
  )
}

function pendingIn(
  config: Config | undefined,
  localId: string,
  typed: Readonly<Partial<Record<PartName, FormEdits>>>,
): PendingChanges {
  const changes: Partial<Record<PartName, Readonly<Record<string, unknown>>>> = {}
  let [count, hasWrong] = [0, false]
  for (const name of config === undefined ? [] : PART_NAMES) {
    const fields: readonly FormField[] = PARTS[name].fields
    const part = PARTS[name].of(config!, localId)
    const changed = changesIn(fields, part, typed[name] ?? NONE)
    hasWrong ||= wrongsIn(fields, part, typed[name] ?? NONE).size > 0
    if (Object.keys(changed).length === 0) continue
    changes[name] = changed
    count += Object.keys(changed).length
  }
  return { changes, count, hasWrong }
}

/** Saves part by part. A part that the daemon refuses, and those after it, stay edited. */
export async function savePending({ changes }: PendingChanges): Promise<void> {
  const localId = live.get().system?.myID ?? ''
  for (const name of PART_NAMES) {
    const changed = changes[name]
    if (changed === undefined) continue
    await PARTS[name].save(changed, localId)
    // Fields keep the new value until the event arrives; a daemon that has moved to another address does not respond.
    await reloadNow(live, ['config']).catch(() => undefined)
    discardEdits([name])
  }
}

export function discardEdits(names: readonly PartName[] = PART_NAMES): void {
  edits.update((all) => ({ ...all, ...Object.fromEntries(names.map((name) => [name, NONE])) }))
}
