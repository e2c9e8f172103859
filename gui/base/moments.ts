/** The daemon writes the year 1 (or 1970) where it means never. */
export function isTime(timeMs: number): boolean {
  return Number.isFinite(timeMs) && timeMs > 86_400_000
}
