/** Records what a file costs now, in calls, statements, messages and bytes, as the budget that `npm test` checks. */
import { deviations, readBudget, writeBudget } from '../test/support/budget.ts'
import { measureFileCosts } from '../test/support/file-costs.ts'

const costs = await measureFileCosts()
for (const line of deviations(readBudget(), costs)) console.log(line)
writeBudget(costs)
