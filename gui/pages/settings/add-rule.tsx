import { useState } from 'preact/hooks'
import { WEEKDAYS } from '../../../src/core/schedule/rule.ts'
import type { NewScheduleRuleJson } from '../../../src/rest/schedule.ts'
import { deviceName } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { language } from '../../i18n/language.ts'
import { t } from '../../i18n/texts.ts'
import { AddDialog } from './add-dialog.tsx'

type Day = (typeof WEEKDAYS)[number]

/** In the language of the page. The fifth of January 1970 was a Monday. */
export function dayName(day: Day): string {
  const timeMs = Date.UTC(1970, 0, 5 + WEEKDAYS.indexOf(day))
  return new Intl.DateTimeFormat(language.get(), { weekday: 'short', timeZone: 'UTC' }).format(timeMs)
}

const EMPTY = {
  name: '',
  days: WEEKDAYS as readonly Day[],
  from: '22:00',
  to: '06:00',
  /** Of a folder or a device, with its kind; empty for all. */
  target: '',
  isPause: true,
  send: '',
  receive: '',
}

export function AddRuleDialog({ onAdded }: { readonly onAdded: () => void }) {
  const [form, setForm] = useState(EMPTY)
  const set = (change: Partial<typeof EMPTY>) => setForm({ ...form, ...change })
  const withDay = (day: Day, isOn: boolean) =>
    WEEKDAYS.filter((each) => (each === day ? isOn : form.days.includes(each)))
  return (
    <AddDialog
      title={t('schedule.add')}
      name={form.name}
      onName={(name) => set({ name })}
      save={() => client.call('POST /rest/twinfold/schedule', { body: ruleOf(form) })}
      done={t('schedule.added', { name: form.name })}
      onAdded={onAdded}
    >
      <TextField label={t('schedule.from')} value={form.from} onChange={(from) => set({ from })} />
      <TextField label={t('schedule.to')} value={form.to} onChange={(to) => set({ to })} />
      <div class="settings-actions">
        {WEEKDAYS.map((day) => (
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
    </AddDialog>
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
