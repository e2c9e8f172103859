import { DOCS } from '../support/model.ts'
import type { SimDevice } from './device.ts'
import type { Reached } from './sometimes.ts'
import type { Trace } from './trace.ts'

export interface DecisionsDeps {
  readonly trace: Trace
  readonly reached: Reached
  /** Advances the clock until the promise settles. */
  during<T>(promise: Promise<T>): Promise<T>
}

/** Users override every send-only folder, then revert every receive-only folder. */
export async function overrideAndRevert(devices: readonly SimDevice[], deps: DecisionsDeps): Promise<void> {
  const { during, reached, trace } = deps
  for (const { name, model } of devices.filter(({ folderType }) => folderType === 'sendonly')) {
    trace.add(name, 'override')
    await during(model?.override(DOCS) ?? Promise.resolve())
    reached.note('a send-only folder was overridden')
  }
  for (const { name, model } of devices.filter(({ folderType }) => folderType === 'receiveonly')) {
    trace.add(name, 'revert')
    await during(model?.revert(DOCS) ?? Promise.resolve())
    reached.note('a receive-only folder was reverted')
  }
}
