import { useEffect, useRef, useState } from 'preact/hooks'
import { hold, HOLD_MS, type Held } from '../facts/hold.ts'
import { overallStatus, type OverallStatus } from '../facts/overall-status.ts'
import { overallStatusText } from '../facts/overall-status-text.ts'
import { live } from '../live/live.ts'
import { Store, useStore } from '../live/store.ts'

const RULES = {
  kind: ({ tone, parts }: OverallStatus) => `${tone} ${parts.map(({ key }) => key).join(' ')}`,
  isUrgent: (next: OverallStatus, shown: OverallStatus) =>
    next.tone === 'bad' || shown.parts[0]?.key === 'status.starting',
}

/** The status as it is shown: each state for two seconds at least. */
const shown = new Store<Held<OverallStatus>>({ value: overallStatus(live.get()), sinceMs: -Infinity })

let timer: ReturnType<typeof setTimeout> | undefined

live.subscribe(() => update())

function update(): void {
  clearTimeout(timer)
  const next = overallStatus(live.get())
  const held = shown.get()
  const after = hold(held, next, performance.now(), RULES)
  if (!isSame(after, held)) shown.set(after)
  if (after.value !== next) timer = setTimeout(update, held.sinceMs + HOLD_MS - performance.now())
}

function isSame(one: Held<OverallStatus>, other: Held<OverallStatus>): boolean {
  return JSON.stringify(one.value) === JSON.stringify(other.value)
}

export function useShownStatus(): OverallStatus {
  return useStore(shown, ({ value }) => value)
}

/** The text for screen readers: a transfer or a scan in between is no news, nor are numbers that move. */
export function useAnnouncement(): string {
  const status = useShownStatus()
  const [text, setText] = useState('')
  const kind = useRef('')
  useEffect(() => {
    const next = RULES.kind(status)
    if (status.tone === 'busy' || next === kind.current) return
    kind.current = next
    setText(overallStatusText(status))
  }, [status])
  return text
}
