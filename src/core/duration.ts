const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
}
const DURATION = /^(\d{1,5})([smhdwy])$/

/** A duration such as `10m` or `90d`, in one of these units; undefined for anything else. */
export function parseDuration(text: string, units: string): number | undefined {
  const [, amount, unit = ''] = DURATION.exec(text) ?? []
  return amount === undefined || !units.includes(unit) ? undefined : Number(amount) * UNIT_MS[unit]!
}

/** In the largest unit, up to weeks, of which it has a whole number. */
export function durationText(durationMs: number): string {
  const isWhole = (unit: string) => durationMs > 0 && Number.isInteger(durationMs / UNIT_MS[unit]!)
  const unit = ['w', 'd', 'h', 'm'].find(isWhole) ?? 's'
  return `${Math.round(durationMs / UNIT_MS[unit]!)}${unit}`
}
