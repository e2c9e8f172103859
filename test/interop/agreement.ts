import assert from 'node:assert/strict'
import type { Outcome } from './cli-served.ts'

/**
 * How the two must agree: to the letter, but for times and numbers, as JSON that holds at least the same, in the code.
 */
export type Agreement = 'exact' | 'shape' | 'contains' | 'code'

export function check(agree: Agreement, one: Outcome, other: Outcome): void {
  assert.equal(other.code, one.code, 'exit code')
  if (agree === 'exact') assert.equal(other.out, one.code === 0 ? one.out : '')
  else if (agree === 'shape') assert.equal(masked(other.out), masked(one.out))
  else if (agree === 'contains') assertContains(JSON.parse(other.out), JSON.parse(one.out), '')
}

function masked(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, 'TIME').replace(/\d+(\.\d+)?/g, 'N')
}

/** Nothing to Twinfold: Debian's `add` sends 0, and its own daemon makes that 25. */
const NOT_COMPARED = ['weakHashThresholdPct']

function assertContains(whole: unknown, part: unknown, at: string): void {
  if (typeof part !== 'object' || part === null) return assert.deepEqual(whole, part, at)
  for (const [key, value] of Object.entries(part)) {
    if (!NOT_COMPARED.includes(key)) assertContains(Object(whole)[key], value, `${at}.${key}`)
  }
}
