import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import type { IncomingRequest } from '../../src/protocol/exchange.ts'
import { RequestService } from '../../src/protocol/request-service.ts'
import type { BlockReply, RefusalCode } from '../../src/protocol/types.ts'
import { quietLogger } from '../support/logger.ts'
import { settle } from './scripted-stream.ts'

const NEVER = new AbortController().signal
const MIB = 1024 * 1024
const REFUSED: BlockReply = { kind: 'refused', code: 'generic' }

function incoming(id: number, sizeBytes: number, refusal?: RefusalCode): IncomingRequest {
  const place = { folder: 'f', name: 'a', offsetBytes: 0, blockNumber: 0 }
  return { id, request: { ...place, sizeBytes, hash: new Uint8Array(32), fromTemporary: false }, refusal }
}

/** A service whose handler replies when the test resolves its promise. */
function openService(respond?: () => Promise<void>) {
  const waiting: PromiseWithResolvers<BlockReply>[] = []
  const responded: (readonly [id: number, reply: BlockReply])[] = []
  const logger = quietLogger('protocol')
  const service = new RequestService({
    device: deviceIdFromBytes(new Uint8Array(32)),
    logger,
    respond: async (id, reply) => {
      responded.push([id, reply])
      await respond?.()
    },
  })
  const request = () => {
    const answer = Promise.withResolvers<BlockReply>()
    waiting.push(answer)
    return answer.promise
  }
  const ids = () => responded.map(([id]) => id)
  return { service, waiting, responded, ids, logger, handler: { request } }
}

/** How many of requests of these sizes are being served at a time. */
async function admittedOf(sizes: readonly number[]): Promise<number> {
  const { service, handler } = openService()
  let admitted = 0
  const admitAll = async () => {
    for (const [id, sizeBytes] of sizes.entries()) {
      await service.admit(incoming(id, sizeBytes), handler, NEVER)
      admitted++
    }
  }
  void admitAll()
  await settle()
  return admitted
}

describe('requests are served at a time', () => {
  const cases: readonly (readonly [what: string, sizes: readonly number[], admitted: number])[] = [
    ['2 MiB in all', [MIB / 2, MIB / 2, MIB / 2, MIB / 2, 1], 4],
    ['exactly 2 MiB', [2 * MIB - 100, 100, 0, 1], 3],
    ['not a byte more', [2 * MIB - 100, 101], 1],
    ['two of the largest', [16 * MIB, 16 * MIB, 16 * MIB], 2],
    ['no smaller one with a large one', [16 * MIB, 1], 1],
    ['two that are larger than the half', [3 * MIB, 3 * MIB, 1], 2],
    ['512 without bytes', Array.from({ length: 514 }, () => 0), 512],
  ]
  for (const [what, sizes, admitted] of cases)
    it(what, async () => assert.equal(await admittedOf(sizes), admitted, `of ${sizes.length}`))

  it('and the next one when one was responded to', async () => {
    const { service, waiting, handler } = openService()
    let admitted = 0
    for (let id = 0; id < 4; id++) await service.admit(incoming(id, MIB / 2), handler, NEVER)
    const last = service.admit(incoming(4, MIB / 2), handler, NEVER)!.then(() => admitted++)
    await settle()
    assert.deepEqual([admitted, waiting.length], [0, 4])
    waiting[0]?.resolve(REFUSED)
    await last
    assert.equal(waiting.length, 5)
    const next = service.admit(incoming(5, MIB / 2), handler, NEVER)!.then(() => admitted++)
    await settle()
    assert.equal(admitted, 1, 'its bytes are free once only')
    waiting[1]?.resolve(REFUSED)
    await next
  })

  it('and any number of them one after the other', async () => {
    const { service, responded } = openService()
    const handler = { request: async () => REFUSED }
    for (let id = 0; id < 1_500; id++) await service.admit(incoming(id, MIB), handler, NEVER)
    await service.settled()
    assert.equal(responded.length, 1_500)
  })

  it('until the signal aborts', async () => {
    const { service, handler } = openService()
    const stop = new AbortController()
    await service.admit(incoming(1, 2 * MIB), handler, stop.signal)
    const second = assert.rejects(async () => service.admit(incoming(2, 1), handler, stop.signal), /stopped/)
    stop.abort(new Error('stopped'))
    await second
  })
})

describe('a request', () => {
  it('that is refused takes no bytes, and does not come to the handler', async () => {
    const { service, waiting, responded, handler } = openService()
    await service.admit(incoming(1, 2 * MIB), handler, NEVER)
    await service.admit(incoming(2, MIB, 'invalid-file'), handler, NEVER)
    await settle()
    assert.deepEqual(responded, [[2, { kind: 'refused', code: 'invalid-file' }]])
    assert.equal(waiting.length, 1)
  })

  it('has the reply of the handler', async () => {
    const { service, waiting, responded, logger, handler } = openService()
    await service.admit(incoming(1, 10), handler, NEVER)
    const reply: BlockReply = { kind: 'data', data: Buffer.from('x') }
    waiting[0]?.resolve(reply)
    await service.settled()
    assert.deepEqual([responded, logger.lines], [[[1, reply]], []])
  })

  it('is refused when the handler fails', async () => {
    const { service, waiting, responded, logger, handler } = openService()
    await service.admit(incoming(1, 10), handler, NEVER)
    waiting[0]?.reject(new Error('disk on fire'))
    await service.settled()
    assert.deepEqual(responded, [[1, REFUSED]])
    assert.match(logger.lines.join(), /a block of "a" in "f".*disk on fire/)
  })

  it('of a connection that has ended has no response', async () => {
    const { service, waiting, responded, logger, handler } = openService()
    const stop = new AbortController()
    await service.admit(incoming(1, 10), handler, stop.signal)
    stop.abort()
    waiting[0]?.reject(new Error('aborted'))
    await service.settled()
    assert.deepEqual([responded, logger.lines], [[], []])
  })

  it('whose response cannot be sent frees its bytes', async () => {
    const { service, waiting, ids, handler } = openService(() => Promise.reject(new Error('closed')))
    await service.admit(incoming(1, 2 * MIB), handler, NEVER)
    waiting[0]?.resolve(REFUSED)
    await service.settled()
    await service.admit(incoming(2, 2 * MIB), handler, NEVER)
    assert.deepEqual(ids(), [1])
  })
})

it('a service is settled when all replies were sent, and not before', async () => {
  const { service, waiting, ids, handler } = openService()
  for (const id of [1, 2]) await service.admit(incoming(id, 10), handler, NEVER)
  let isSettled = false
  const settled = service.settled().then(() => (isSettled = true))
  waiting[0]?.resolve(REFUSED)
  await settle()
  assert.deepEqual([isSettled, ids()], [false, [1]])
  waiting[1]?.resolve(REFUSED)
  await settled
  assert.deepEqual(ids(), [1, 2])
})
