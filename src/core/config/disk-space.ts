import type { Size } from './config.ts'

/**
 * `current 0.52 % < required 1 %`; undefined while there is enough, and without a minimum. A file of `neededBytes` has
 * to fit, too.
 */
export function shortageOf(
  space: { readonly freeBytes: number; readonly totalBytes: number },
  { value, unit }: Size,
  neededBytes = 0,
): string | undefined {
  if (!(value > 0) || space.totalBytes === 0) return undefined
  const isPercent = unit === '%'
  const inUnit = (bytes: number) => (isPercent ? (bytes / space.totalBytes) * 100 : bytes)
  const required = isPercent ? value : value * unitBytes(unit)
  if (inUnit(space.freeBytes - neededBytes) >= required) return undefined
  const free = Math.max(0, space.freeBytes)
  const minimum = `${value} ${unit}`.trim()
  if (inUnit(space.freeBytes) >= required) {
    return `${formatSpace(neededBytes)} do not fit: ${formatSpace(free)} are free, and ${minimum} must stay free`
  }
  return `current ${isPercent ? `${inUnit(free).toFixed(2)} %` : formatSpace(free)} < required ${minimum}`
}

const UNITS = ['k', 'm', 'g', 't', 'p']

/** `kB`, `MB`, `GiB`, `T`: powers of 1000, of 1024 with an i; 1 for anything else. */
function unitBytes(unit: string): number {
  const [, letter = '', binary] = /^([kmgtp])(i?)b?$/i.exec(unit.trim()) ?? []
  return (binary ? 1_024 : 1_000) ** (UNITS.indexOf(letter.toLowerCase()) + 1)
}

/** `75.2 GB`; never below 0. */
export function formatSpace(bytes: number): string {
  let value = Math.max(0, bytes)
  let unit = -1
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000
    unit++
  }
  return unit < 0 ? `${value} B` : `${value.toFixed(1)} ${'kMGTP'[unit]}B`
}
