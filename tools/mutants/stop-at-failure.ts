import type { TestEvent } from 'node:test/reporters'

/** A reporter that ends the process at the first failed test: one is enough to find a planted fault. */
export default async function* stopAtFailure(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type === 'test:fail' && event.data.todo === undefined) process.exit(1)
  }
  yield ''
}
