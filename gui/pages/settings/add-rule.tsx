import { useContext, useState } from 'preact/hooks'
import type { NewScheduleRuleJson } from '../../../src/rest/schedule.ts'
import { closeDialog, DialogId } from '../../base/dialogs.tsx'
import { showDone } from '../../app/run-action.ts'
import { deviceName } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { language } from '../../i18n/language.ts'
import { t } from '../../i18n/texts.ts'
import { Refusal } from '../edit/form.tsx'
import { useSaving } from '../edit/use-form.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Day = (typeof DAYS)[number]

/** In the language of the page. The fifth of January 1970 was a Monday. */
export function dayName(day: Day): string {
  const timeMs = Date.UTC(1970, 0, 5 + DAYS.indexOf(day))
  return new Intl.DateTimeFormat(language.get(), { weekday: 'short', timeZone: 'UTC' }).format(timeMs)
}

const EMPTY = {
  name: '',
  days: DAYS as readonly Day[],
  from: '22:00',
  to: '06:00',
  /** Of a folder or a device, with its kind; empty for all. */
  target: '',
  isPause: true,
  send: '',
  receive: '',
}

export function AddRuleDialog({ onAdded }: { readonly onAdded: () => void }) {
  const dialogId = useContext(DialogId)
  const saving = useSaving()
  const [form, setForm] = useState(EMPTY)
  const set = (change: Partial<typeof EMPTY>) => setForm({ ...form, ...change })
  const submit = async () => {
    const isAdded = await saving.save(() => client.call('POST /rest/twinfold/schedule', { body: ruleOf(form) }))
    if (!isAdded) return
    showDone(t('schedule.added', { name: form.name }), undefined)
    onAdded()
    closeDialog(dialogId)
  }
  const actions = (
    <>
      <Button onClick={() => closeDialog(dialogId)}>{t('do.cancel')}</Button>
      <Button kind="primary" type="submit" disabled={saving.busy}>
        {t('do.add')}
      </Button>
    </>
  )
  const withDay = (day: Day, isOn: boolean) => DAYS.filter((each) => (each === day ? isOn : form.days.includes(each)))
  return (
    <Dialog title={t('schedule.add')} actions={actions} onSubmit={submit}>
      <Refusal text={saving.refusal} />
      <TextField label={t('form.device.name')} value={form.name} onChange={(name) => set({ name })} autoFocus />
      <TextField label={t('schedule.from')} value={form.from} onChange={(from) => set({ from })} />
      <TextField label={t('schedule.to')} value={form.to} onChange={(to) => set({ to })} />
      <div class="settings-actions">
        {DAYS.map((day) => (
          <CheckField
            key={day}
            label={dayName(day)}
            checked={form.days.includes(day)}
            onChange={(isOn) => set({ days: withDay(day, isOn) })}
          />
        ))}
      </div>
      <Target value={form.target} onChange={(target) => set({ target })} />
      <CheckField label={t('do.pause')} checked={form.isPause} onChange={(isPause) => set({ isPause })} />
      {!form.isPause && (
        <>
          <TextField
            label={`${t('form.options.maxSendKbps')} (KiB/s)`}
            help={t('form.device.maxSendKbps.help')}
            value={form.send}
            onChange={(send) => set({ send })}
          />
          <TextField
            label={`${t('form.options.maxRecvKbps')} (KiB/s)`}
            help={t('form.device.maxRecvKbps.help')}
            value={form.receive}
            onChange={(receive) => set({ receive })}
          />
        </>
      )}
    </Dialog>
  )
}

function Target({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const folders = useLive((state) => state.config?.folders) ?? []
  const own = useLive((state) => state.system?.myID)
  const devices = (useLive((state) => state.config?.devices) ?? []).filter(({ deviceID }) => deviceID !== own)
  return (
    <SelectField
      label={t('schedule.about')}
      value={value}
      options={[
        { value: '', text: t('schedule.all') },
        ...folders.map((folder) => ({ value: `folder ${folder.id}`, text: folderName(folder) })),
        ...devices.map((device) => ({ value: `device ${device.deviceID}`, text: deviceName(device) })),
      ]}
      onChange={onChange}
    />
  )
}

function ruleOf({ name, days, from, to, target, isPause, send, receive }: typeof EMPTY): NewScheduleRuleJson {
  const id = target.slice(target.indexOf(' ') + 1)
  return {
    name: name.trim(),
    days: [...days],
    from: from.trim(),
    to: to.trim(),
    ...(target.startsWith('folder ') && { folder: id }),
    ...(target.startsWith('device ') && { device: id }),
    pause: isPause,
    ...(!isPause && send.trim() !== '' && { maxSendKbps: Number(send) }),
    ...(!isPause && receive.trim() !== '' && { maxRecvKbps: Number(receive) }),
  }
}
