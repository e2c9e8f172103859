import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileCosts } from './file-costs.ts'

const FILE = join(import.meta.dirname, '..', 'budget.json')
const REMEDY = 'record it by "node tools/record-budget.ts"'
/** Batches end elsewhere when a record becomes a little larger. */
const TOLERANCE = 0.02
/** Objects have other sizes in another version of V8. */
const ALLOCATED_TOLERANCE = 0.05
/** A saving of this part is kept by a lower budget. */
const SAVED_PART = 0.1

export function readBudget(): FileCosts {
  return JSON.parse(readFileSync(FILE, 'utf8'))
}

export function writeBudget(costs: FileCosts): void {
  writeFileSync(FILE, `${JSON.stringify(costs, undefined, 2)}\n`)
}

/** What is not as in the budget, one line each: more than allowed, or so much less that the budget is to be lowered. */
export function deviations(budget: FileCosts, now: FileCosts): readonly string[] {
  const works = [...new Set([...Object.keys(budget), ...Object.keys(now)])]
  return works.flatMap((work) => {
    const [allowed, found] = [budget[work] ?? {}, now[work] ?? {}]
    const counters = [...new Set([...Object.keys(allowed), ...Object.keys(found)])]
    return counters.flatMap((counter) => deviation(`${work}: ${counter}`, allowed[counter] ?? 0, found[counter] ?? 0))
  })
}

function deviation(what: string, before: number, now: number): readonly string[] {
  const figures = `${what}: ${before} before, ${now} now`
  const tolerance = what.endsWith(' allocated') ? ALLOCATED_TOLERANCE : TOLERANCE
  if (now > before * (1 + tolerance) + TOLERANCE) return [`${figures}; if that is worth it, ${REMEDY}`]
  if (now < before * (1 - SAVED_PART) - TOLERANCE) return [`${figures}; lower the budget: ${REMEDY}`]
  return []
}
