import type { Net, TlsStream } from '../../src/platform/net.ts'

/** Contents of users are long runs of one letter. */
export const PLAIN_RUN = /([a-z])\1{15}/
/** The longest name of users: shorter ones are also found in random bytes, once in some megabytes. */
const PLAIN_NAME = 'three'
const OVERLAP_BYTES = 16

/** What a device sends and receives, which must show no name and no content. Nothing is compressed in a simulation. */
export class WireCheck {
  /** What was found; undefined: nothing. */
  found: string | undefined
  bytes = 0

  /** The same network, whose streams are read along. */
  inspecting(net: Net): Net {
    return {
      ...net,
      listenTls: (options, onStream) => net.listenTls(options, (stream) => onStream(this.#inspected(stream))),
      dialTls: async (options, signal) => this.#inspected(await net.dialTls(options, signal)),
    }
  }

  #inspected(stream: TlsStream): TlsStream {
    const [received, sent] = [this.#reader('received'), this.#reader('sent')]
    const read = async (): Promise<Uint8Array | undefined> => {
      const data = await stream.read()
      if (data !== undefined) received(data)
      return data
    }
    const write = (data: Uint8Array): Promise<void> | undefined => {
      sent(data)
      return stream.write(data)
    }
    const replaced = new Map<PropertyKey, unknown>(Object.entries({ read, write }))
    return new Proxy(stream, {
      get: (object, key) => {
        const value: unknown = replaced.get(key) ?? Reflect.get(object, key, object)
        return typeof value === 'function' && !replaced.has(key) ? value.bind(object) : value
      },
    })
  }

  #reader(direction: string): (data: Uint8Array) => void {
    let last = ''
    return (data) => {
      this.bytes += data.length
      const text = last + Buffer.from(data).toString('latin1')
      const plain = text.includes(PLAIN_NAME) ? PLAIN_NAME : PLAIN_RUN.exec(text)?.[0]
      if (plain !== undefined) this.found ??= `${direction} ${JSON.stringify(plain)}`
      last = text.slice(-OVERLAP_BYTES)
    }
  }
}
