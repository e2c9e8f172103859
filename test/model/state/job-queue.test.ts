import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JobQueue } from '../../../src/model/state/job-queue.ts'

function queue(...paths: string[]): JobQueue {
  const jobs = new JobQueue(10)
  for (const path of paths) jobs.push(path)
  return jobs
}

test('prio moves a file to the front and keeps the order of the rest', () => {
  const jobs = queue('z3', 'z4', 'z5', 'z6')
  jobs.bringToFront('z5')
  assert.deepEqual(jobs.waiting(), ['z5', 'z3', 'z4', 'z6'])
  jobs.bringToFront('z6')
  assert.deepEqual(jobs.waiting(), ['z6', 'z5', 'z3', 'z4'])
  jobs.bringToFront('z6')
  assert.deepEqual(jobs.waiting(), ['z6', 'z5', 'z3', 'z4'])
})

test('prio of a file that is not queued yet applies once it is queued', () => {
  const jobs = queue('a', 'b')
  jobs.bringToFront('late')
  assert.deepEqual(jobs.waiting(), ['a', 'b'])
  jobs.push('late')
  assert.deepEqual(jobs.waiting(), ['late', 'a', 'b'])
  assert.equal(jobs.pop(), 'late')
  jobs.push('late')
  assert.deepEqual(jobs.waiting(), ['a', 'b', 'late'], 'prio applies once')
})

test('push returns false when full, and true for a file that is queued already', () => {
  const jobs = new JobQueue(2)
  assert.deepEqual([jobs.push('a'), jobs.push('b'), jobs.push('c'), jobs.push('a')], [true, true, false, true])
  assert.deepEqual(jobs.waiting(), ['a', 'b'])
})

test('prio of files that are never queued is bounded', () => {
  const jobs = queue()
  for (let i = 0; i < 5_000; i++) jobs.bringToFront(`w${i}`)
  jobs.push('w0')
  jobs.push('w4999')
  assert.deepEqual(jobs.waiting(), ['w4999', 'w0'])
})

test('files pushed between pops are queued at the end, also after the queue was empty', () => {
  const jobs = queue('a', 'b')
  assert.deepEqual(
    [jobs.peek(), jobs.pop(), jobs.pop(), jobs.peek(), jobs.pop()],
    ['a', 'a', 'b', undefined, undefined],
  )
  jobs.push('c')
  jobs.push('a')
  assert.equal(jobs.peek(), 'c')
  jobs.bringToFront('a')
  assert.deepEqual([jobs.peek(), jobs.pop(), jobs.peek()], ['a', 'a', 'c'])
  jobs.clear()
  assert.equal(jobs.peek(), undefined)
  jobs.push('d')
  assert.deepEqual([jobs.pop(), jobs.pop()], ['d', undefined])
})
