import { readIndex as readInSteps, readIndexEnvelope, type IndexKind } from '../../src/protocol/index-data.ts'
import type { Steps } from '../../src/protocol/steps.ts'
import type { IndexData } from '../../src/protocol/types.ts'

/** The parts of an index message, without the marks between them. */
export function* readIndex(body: Uint8Array, kind: IndexKind): Generator<IndexData> {
  for (const part of readInSteps(body, finish(readIndexEnvelope(body)), kind)) if (part !== undefined) yield part
}

/** Runs all steps at once. */
export function finish<R>(steps: Steps<never, R>): R {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
