import { useState } from 'preact/hooks'
import type { NewHookJson } from '../../../src/rest/hooks.ts'
import { deviceName } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { AddDialog } from './add-dialog.tsx'

type Condition = NewHookJson['on']
type Format = 'json' | 'ntfy' | 'healthchecks'

/** What each condition may be limited to. */
const CONDITIONS: Readonly<Record<Condition, { readonly device: boolean; readonly after: boolean }>> = {
  'folder-in-sync': { device: true, after: true },
  'folder-behind': { device: true, after: true },
  conflict: { device: false, after: false },
  'guard-held': { device: false, after: false },
  'device-away': { device: true, after: true },
  error: { device: false, after: true },
  'error-gone': { device: false, after: true },
  'disk-low': { device: false, after: true },
  'all-in-sync': { device: true, after: true },
}
const NAMES = Object.keys(CONDITIONS) as readonly Condition[]
const FORMATS: readonly { readonly value: Format; readonly text: string }[] = [
  { value: 'json', text: 'JSON' },
  { value: 'ntfy', text: 'ntfy' },
  { value: 'healthchecks', text: 'Healthchecks' },
]
const EMPTY = {
  name: '',
  on: 'folder-in-sync' as Condition,
  folder: '',
  device: '',
  after: '',
  kind: 'url' as 'url' | 'program',
  url: '',
  format: 'json' as Format,
  secret: '',
  allowPrivate: false,
  program: '',
  args: '',
}

export function AddHookDialog({ onAdded }: { readonly onAdded: () => void }) {
  const [form, setForm] = useState(EMPTY)
  const set = (change: Partial<typeof EMPTY>) => setForm({ ...form, ...change })
  return (
    <AddDialog
      title={t('hooks.add')}
      name={form.name}
      onName={(name) => set({ name })}
      save={() => client.call('POST /rest/twinfold/hooks', { body: hookOf(form) })}
      done={t('hooks.added', { name: form.name })}
      onAdded={onAdded}
    >
      <SelectField
        label={t('hooks.on')}
        value={form.on}
        options={NAMES.map((value) => ({ value, text: t(`hooks.on.${value}`) }))}
        onChange={(on) => set({ on, device: '', folder: '', after: '' })}
      />
      <Subject form={form} set={set} />
      <SelectField
        label={t('hooks.to')}
        value={form.kind}
        options={[
          { value: 'url', text: t('hooks.webhook') },
          { value: 'program', text: t('hooks.program') },
        ]}
        onChange={(kind) => set({ kind })}
      />
      {form.kind === 'url' ? <Webhook form={form} set={set} /> : <Program form={form} set={set} />}
    </AddDialog>
  )
}

interface PartProps {
  readonly form: typeof EMPTY
  readonly set: (change: Partial<typeof EMPTY>) => void
}

function Subject({ form, set }: PartProps) {
  const folders = useLive((state) => state.config?.folders) ?? []
  const own = useLive((state) => state.system?.myID)
  const devices = (useLive((state) => state.config?.devices) ?? []).filter(({ deviceID }) => deviceID !== own)
  const isAway = form.on === 'device-away'
  const none = { value: '', text: isAway ? t('hooks.everyDevice') : t('thisDevice.title') }
  return (
    <>
      {!isAway && (
        <SelectField
          label={t('changes.folder')}
          value={form.folder}
          options={[
            { value: '', text: t('hooks.everyFolder') },
            ...folders.map((folder) => ({ value: folder.id, text: folderName(folder) })),
          ]}
          onChange={(folder) => set({ folder })}
        />
      )}
      {CONDITIONS[form.on].device && (
        <SelectField
          label={t('command.device')}
          value={form.device}
          options={[none, ...devices.map((device) => ({ value: device.deviceID, text: deviceName(device) }))]}
          onChange={(device) => set({ device })}
        />
      )}
      {CONDITIONS[form.on].after && (
        <TextField
          label={t('hooks.after')}
          help={t('hooks.afterHelp')}
          value={form.after}
          onChange={(after) => set({ after })}
        />
      )}
    </>
  )
}

function Webhook({ form, set }: PartProps) {
  return (
    <>
      <TextField label={t('device.address')} value={form.url} placeholder="https://" onChange={(url) => set({ url })} />
      <SelectField
        label={t('hooks.format')}
        value={form.format}
        options={FORMATS}
        onChange={(format) => set({ format })}
      />
      <TextField
        label={t('hooks.secret')}
        help={t('hooks.secretHelp')}
        type="password"
        autoComplete="new-password"
        value={form.secret}
        onChange={(secret) => set({ secret })}
      />
      <CheckField
        label={t('hooks.private')}
        checked={form.allowPrivate}
        onChange={(allowPrivate) => set({ allowPrivate })}
      />
    </>
  )
}

function Program({ form, set }: PartProps) {
  return (
    <>
      <TextField label={t('hooks.path')} value={form.program} onChange={(program) => set({ program })} />
      <TextField label={t('hooks.args')} value={form.args} lines={3} onChange={(args) => set({ args })} />
    </>
  )
}

/** What is empty is left out: the daemon has the usual value. */
function hookOf({ name, on, folder, device, after, kind, ...target }: typeof EMPTY): NewHookJson {
  const { url, format, secret, allowPrivate, program, args } = target
  return {
    name,
    on,
    ...(folder !== '' && { folder }),
    ...(device !== '' && { device }),
    ...(after.trim() !== '' && { after: after.trim() }),
    ...(kind === 'url'
      ? { url: url.trim(), format, ...(secret !== '' && { secret }), ...(allowPrivate && { allowPrivate }) }
      : { program, args: args === '' ? [] : args.split('\n') }),
  }
}
