import type { FolderConfig } from '../../../src/core/config/config.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const CALLS_MAX = 60

/** Runs an action just after the `nth` disk call below the folder's root, as another program would. */
function afterCall(pull: SimPull, nth: number, action: () => void): { readonly reached: () => boolean } {
  const { faults } = pull.disk
  const check = faults.check.bind(faults)
  let seen = 0
  let armed = false
  faults.check = (call, at) => {
    if (armed) {
      armed = false
      action()
    }
    check(call, at)
    if (at.startsWith(`${ROOT}/`) && ++seen === nth) armed = true
  }
  return { reached: () => seen >= nth && !armed }
}

/** Repeats the scenario with `edit` at each disk call that follows the remote change, each in a run of its own. */
export async function atEveryMoment(
  folder: Partial<FolderConfig>,
  change: (pull: SimPull) => unknown,
  edit: (pull: SimPull) => void,
  check: (pull: SimPull) => Promise<void>,
  content = 'theirs',
): Promise<number> {
  for (let nth = 1; nth <= CALLS_MAX; nth++) {
    await using pull = await SimPull.start({ folder })
    pull.peer.put('f', content)
    await pull.sync()
    change(pull)
    const moment = afterCall(pull, nth, () => edit(pull))
    await pull.sync()
    if (!moment.reached()) return nth - 1
    await pull.hub.pass(120_000)
    await pull.rest()
    await pull.scan()
    await check(pull)
  }
  return CALLS_MAX
}

export async function contents(pull: SimPull): Promise<readonly string[]> {
  const found = [...pull.disk.direct.tree(ROOT)].filter(([, { type }]) => type === 'file')
  return found.map(([, item]) => (item.type === 'file' ? Buffer.from(item.content).toString('latin1') : ''))
}

export const KEEPING = {
  versioning: { type: 'simple', params: { keep: '5' }, cleanupIntervalS: 3_600, fsPath: '', fsType: 'basic' as const },
}
