import { announce, statusKind, NOT_ANNOUNCED } from '../view-model/announcement.ts'
import { nextDisplayed, DISPLAY_MS_MIN, type Displayed } from '../view-model/minimum-display.ts'
import { isWorse, overallStatus, type OverallStatus } from '../view-model/overall-status.ts'
import { overallStatusText } from '../view-model/overall-status-text.ts'
import { live } from '../live/live.ts'
import { currentTexts, hasTexts } from '../i18n/texts.ts'
import { Store, useStore } from '../base/store.ts'

const RULES = {
  kind: statusKind,
  isUrgent: (next: OverallStatus, shown: OverallStatus) =>
    isWorse(next, shown) || shown.parts[0]?.key === 'status.starting',
}

/** The status as it is shown: each state for two seconds at least, unless a worse one follows. */
const shown = new Store<Displayed<OverallStatus>>({ value: overallStatus(live.get()), sinceMs: -Infinity })

const announcement = new Store(NOT_ANNOUNCED)

let timer: ReturnType<typeof setTimeout> | undefined

live.subscribe(() => update())
shown.subscribe(announceShown)
currentTexts.subscribe(announceShown)

/** Without texts there is nothing to announce yet. */
function announceShown(): void {
  if (hasTexts()) announcement.update((before) => announce(before, shown.get().value, overallStatusText))
}

function update(): void {
  clearTimeout(timer)
  const next = overallStatus(live.get())
  const before = shown.get()
  const after = nextDisplayed(before, next, performance.now(), RULES)
  if (!isSame(after, before)) shown.set(after)
  if (after.value !== next) timer = setTimeout(update, before.sinceMs + DISPLAY_MS_MIN - performance.now())
}

function isSame(one: Displayed<OverallStatus>, other: Displayed<OverallStatus>): boolean {
  return JSON.stringify(one.value) === JSON.stringify(other.value)
}

export function useShownStatus(): OverallStatus {
  return useStore(shown, ({ value }) => value)
}

/** The text for screen readers. */
export function useAnnouncement(): string {
  return useStore(announcement, ({ text }) => text)
}
