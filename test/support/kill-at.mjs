// Kills the own process at the n-th call of a function of node:fs at a path, in any thread: TWINFOLD_KILL_AT is
// `FUNCTION|FUNCTION N PATTERN`. The process ends before the call takes effect, or after it with `after:FUNCTION`.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const [where = '', nth = '1', pattern = ''] = (process.env.TWINFOLD_KILL_AT ?? '').split(' ')
const isAfter = where.startsWith('after:')
const names = (isAfter ? where.slice('after:'.length) : where).split('|')
const path = new RegExp(pattern)
let left = Number(nth)

/** Whether any argument is a path that fits. */
function isMeant(args) {
  return args.some((arg) => typeof arg === 'string' && path.test(arg)) && --left === 0
}

const print = fs.writeSync

function killItself() {
  print(2, `killed at ${process.env.TWINFOLD_KILL_AT}\n`) // an exit code of Windows does not tell it
  process.kill(process.pid, 'SIGKILL')
  // The signal arrives at once; nothing may run until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

function wrapped(original) {
  return function (...args) {
    const meant = isMeant(args)
    if (meant && !isAfter) killItself()
    const result = Reflect.apply(original, this, args)
    if (!meant) return result
    if (result instanceof Promise) return result.then(killItself)
    return killItself()
  }
}

for (const library of [fs, fs.promises])
  for (const name of names) if (typeof library[name] === 'function') library[name] = wrapped(library[name])
syncBuiltinESMExports()
