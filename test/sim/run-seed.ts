import { Cluster, type ClusterOptions } from './cluster.ts'
import type { Reached } from './sometimes.ts'

export interface RunResult {
  readonly seed: number
  readonly digest: string
  readonly lines: number
  readonly actions: number
  /** Records announced with a forged version; of an untrusted device: records and blocks that it tampered with. */
  readonly forged: number
  /** Of an untrusted device: the most files that it had, and the bytes that it sent and received. */
  readonly hidden: { readonly files: number; readonly wireBytes: number }
  readonly failure: Error | undefined
  readonly reached: Reached
}

/** One run of a few devices, from the seed to the last invariant. Never throws: the failure is in the result. */
export async function runSeed(seed: number, options: ClusterOptions = {}): Promise<RunResult> {
  const cluster = new Cluster(seed, options)
  let failure: Error | undefined
  try {
    await cluster.run()
    await cluster.converge()
    await cluster.runScenario()
    cluster.checkNothingLost()
    await cluster.overrideAndRevert()
    await cluster.editEverything()
    await cluster.checkInvariants()
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    cluster.trace.add('', `FAILED ${failure.message}`)
  } finally {
    await cluster.close()
  }
  const { trace, reached, actions, forged, hidden } = cluster
  return { seed, digest: trace.digest(), lines: trace.count, actions, forged, hidden, failure, reached }
}
