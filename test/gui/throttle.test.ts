import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Throttle } from '../../gui/facts/throttle.ts'

/** A clock that stands still until told, and questions that are answered when told. */
function setup() {
  let nowMs = 0
  let later: { readonly run: () => void; readonly atMs: number }[] = []
  const answers: (() => void)[] = []
  const throttle = new Throttle(() => new Promise((resolve) => answers.push(resolve)), 1_000, {
    nowMs: () => nowMs,
    later: (run, delayMs) => void later.push({ run, atMs: nowMs + delayMs }),
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    throttle,
    asked: () => answers.length,
    answer: async () => {
      answers.at(-1)?.()
      await settle()
    },
    pass: async (timeMs: number) => {
      nowMs += timeMs
      const due = later.filter(({ atMs }) => atMs <= nowMs)
      later = later.filter(({ atMs }) => atMs > nowMs)
      for (const { run } of due) run()
      await settle()
    },
  }
}

test('the first question is asked at once', () => {
  const { throttle, asked } = setup()
  throttle.request()
  assert.equal(asked(), 1)
})

test('never two questions at once: what is wanted meanwhile is asked once, afterwards', async () => {
  const { throttle, asked, answer, pass } = setup()
  throttle.request()
  for (let times = 0; times < 50; times++) throttle.request()
  await pass(10_000)
  assert.equal(asked(), 1)
  await answer()
  assert.equal(asked(), 1, 'not at once after the answer')
  await pass(1_000)
  assert.equal(asked(), 2)
  await answer()
  await pass(10_000)
  assert.equal(asked(), 2, 'nobody wanted a third')
})

test('a question long after the last one does not wait', async () => {
  const { throttle, asked, answer, pass } = setup()
  throttle.request()
  await answer()
  await pass(5_000)
  throttle.request()
  assert.equal(asked(), 2)
})

test('a person who waits is not kept waiting, and the planned question is not asked twice', async () => {
  const { throttle, asked, answer, pass } = setup()
  throttle.request()
  await answer()
  throttle.request()
  assert.equal(asked(), 1)
  throttle.requestNow()
  assert.equal(asked(), 2)
  throttle.requestNow()
  await answer()
  assert.equal(asked(), 3, 'right after the one that was running')
  await answer()
  await pass(10_000)
  assert.equal(asked(), 3)
})
