import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import { RequestService } from '../../src/protocol/request-service.ts'
import type { BlockReply, BlockRequest } from '../../src/protocol/types.ts'
import { quietLogger } from '../support/logger.ts'
import { settle } from './scripted-stream.ts'

const NEVER = new AbortController().signal
const MIB = 1024 * 1024

function incoming(id: number, sizeBytes: number) {
  const request: BlockRequest = {
    folder: 'f',
    name: 'a',
    offsetBytes: 0,
    sizeBytes,
    hash: new Uint8Array(32),
    fromTemporary: false,
    blockNumber: 0,
  }
  return { id, request, refusal: undefined }
}

function openService() {
  const waiting: ((reply: BlockReply) => void)[] = []
  const responded: number[] = []
  const service = new RequestService({
    device: deviceIdFromBytes(new Uint8Array(32)),
    logger: quietLogger('protocol'),
    respond: async (id) => void responded.push(id),
  })
  const request = () => new Promise<BlockReply>((resolve) => waiting.push(resolve))
  return { service, waiting, responded, handler: { request } }
}

test('blocks of four megabytes in all are read at a time, the next one waits for the first reply', async () => {
  const { service, waiting, handler } = openService()
  let admitted = 0
  const all = Array.from({ length: 5 }, (_, id) =>
    service.admit(incoming(id, MIB), handler, NEVER).then(() => admitted++),
  )
  await settle()
  assert.deepEqual([admitted, waiting.length], [4, 4])
  waiting[0]?.({ kind: 'data', data: new Uint8Array(0) })
  await Promise.all(all)
  assert.deepEqual([admitted, waiting.length], [5, 5])
})

test('a service is settled when all replies were sent, and not before', async () => {
  const { service, waiting, responded, handler } = openService()
  for (const id of [1, 2]) await service.admit(incoming(id, 10), handler, NEVER)
  let isSettled = false
  const settled = service.settled().then(() => (isSettled = true))
  waiting[0]?.({ kind: 'refused', code: 'generic' })
  await settle()
  assert.deepEqual([isSettled, responded], [false, [1]])
  waiting[1]?.({ kind: 'refused', code: 'generic' })
  await settled
  assert.deepEqual(responded, [1, 2])
})
