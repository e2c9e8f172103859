/**
 * Loaded before a program: kills it at the step given by the environment. A step is a statement of a database, or a
 * file that is renamed: a crash can separate it from the next one. At the end the number of steps is printed.
 */
import { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const killAt = Number(process.env.TWINFOLD_KILL_AT ?? 0)
let steps = 0

function step() {
  if (++steps === killAt) process.kill(process.pid, 'SIGKILL')
}

for (const [type, name] of [
  [DatabaseSync, 'exec'],
  [StatementSync, 'run'],
  [StatementSync, 'get'],
]) {
  const original = type.prototype[name]
  type.prototype[name] = function (...values) {
    step()
    return original.apply(this, values)
  }
}

const { rename } = promises
promises.rename = async (from, to) => {
  step()
  await rename(from, to)
  step()
}
syncBuiltinESMExports()

process.on('exit', () => console.log(`steps ${steps}`))
