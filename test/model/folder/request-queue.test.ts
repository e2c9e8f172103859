import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { RequestQueue } from '../../../src/model/folder/request-queue.ts'

test('requests are taken in order, and those with the same key share one place and its result', async () => {
  const queue = new RequestQueue<number>()
  const sum = (queued: number | undefined) => (queued ?? 0) + 1
  const results = [queue.add('a', sum), queue.add('b', sum), queue.add('a', sum)]
  const [first, second] = [queue.take(), queue.take()]
  assert.deepEqual([first?.request, second?.request, queue.take()], [2, 1, undefined])
  const later = queue.add('a', sum)
  first?.succeed()
  second?.fail(new Error('disk'))
  assert.deepEqual(
    (await Promise.allSettled(results)).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.equal(queue.take()?.request, 1, 'a request that was taken is not shared any more')
  queue.close(new TwinfoldError('stopped', 'over'))
  later.catch(() => {}) // never ended by this test
})

test('beyond the limit, and once the queue is closed, requests are rejected', async () => {
  const queue = new RequestQueue<number>()
  const waiting = Array.from({ length: 1_000 }, (_, at) => queue.add(at, () => at))
  await assert.rejects(
    queue.add('more', () => 0),
    { code: 'folder-error', message: '1000 requests for this folder are queued already' },
  )
  const shared = queue.add(0, (queued) => queued!)
  queue.close(new TwinfoldError('stopped', 'over'))
  for (const request of [...waiting, shared, queue.add('late', () => 0)])
    await assert.rejects(request, { code: 'stopped' })
  assert.equal(queue.take(), undefined)
})
