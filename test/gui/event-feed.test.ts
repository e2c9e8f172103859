import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StreamItem, StreamOptions } from '../../src/client/event-stream.ts'
import type { Client } from '../../src/client/client.ts'
import { EventFeed } from '../../gui/live/event-feed.ts'
import type { EventType } from '../../src/rest/event-data.ts'

type Item = StreamItem<EventType>

const paused = (folder: string): Item => ({
  id: folder,
  time: '',
  type: 'FolderPaused',
  data: { id: folder, label: '' },
})

/** A daemon whose events the test sends; each stream is noted as it was opened. */
class FakeDaemon {
  readonly opened: { readonly since: string | undefined; readonly follow: boolean | undefined }[] = []
  open = 0
  #last = 'run-0'
  #send: (() => void) | undefined
  readonly #pending: (readonly [id: string, item: Item | undefined])[] = []

  send(id: string, item?: Item): void {
    this.#pending.push([id, item])
    this.#send?.()
  }

  readonly client = {
    stream: (options: StreamOptions, signal: AbortSignal) => this.#stream(options, signal),
  } as unknown as Pick<Client, 'stream'>

  async *#stream({ since, follow, onPosition }: StreamOptions, signal: AbortSignal): AsyncGenerator<Item> {
    this.opened.push({ since, follow })
    this.open++
    try {
      onPosition?.(since === 'now' ? this.#last : (since ?? ''))
      while (!signal.aborted) {
        for (const [id, item] of this.#pending.splice(0)) {
          if (item !== undefined) yield item
          this.#last = id
          onPosition?.(id)
        }
        if (follow === false) return
        await new Promise<void>((resolve) => {
          this.#send = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    } finally {
      this.open--
    }
  }
}

describe('the events of the page', () => {
  it('come over one connection while the page is shown', async () => {
    const daemon = new FakeDaemon()
    const end = new AbortController()
    const feed = await EventFeed.open(daemon.client, end.signal)
    daemon.send('run-1', paused('a'))
    assert.deepEqual(
      (await feed.next()).map(({ type }) => type),
      ['FolderPaused'],
    )
    daemon.send('run-2', paused('b'))
    daemon.send('run-3', paused('c'))
    const items = [...(await feed.next())]
    while (items.length < 2) items.push(...(await feed.next()))
    assert.deepEqual(daemon.opened, [{ since: 'now', follow: undefined }])
    end.abort()
  })

  it('are read from the last position while it is hidden, without a connection in between', async () => {
    const daemon = new FakeDaemon()
    const end = new AbortController()
    const feed = await EventFeed.open(daemon.client, end.signal)
    daemon.send('run-5')
    feed.interrupt()
    await feed.next()
    assert.deepEqual(await feed.read(), [])
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(daemon.open, 0)
    daemon.send('run-6', paused('a'))
    assert.equal((await feed.read()).length, 1)
    daemon.send('run-7', paused('b'))
    assert.equal((await feed.next()).length, 1)
    assert.deepEqual(
      daemon.opened.map(({ since, follow }) => [since, follow]),
      [
        ['now', undefined],
        ['run-5', false],
        ['run-5', false],
        ['run-6', undefined],
      ],
    )
    end.abort()
  })

  it('end with the failure of the connection, and with the page', async () => {
    const failing = {
      stream: async function* () {
        throw new Error('refused')
      },
    } as unknown as Pick<Client, 'stream'>
    await assert.rejects(EventFeed.open(failing, new AbortController().signal), /refused/)
    const end = new AbortController()
    const feed = await EventFeed.open(new FakeDaemon().client, end.signal)
    const next = feed.next()
    end.abort(new Error('the page is closed'))
    await assert.rejects(next, /the page is closed/)
  })
})
