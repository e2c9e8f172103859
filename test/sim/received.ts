import type { Net, TlsStream } from '../../src/platform/net.ts'

/** Counts the bytes that a device has received. */
export class Received {
  bytes = 0

  /** The same network, whose incoming bytes are counted. */
  counting(net: Net): Net {
    return {
      ...net,
      listenTls: (options, onStream) => net.listenTls(options, (stream) => onStream(this.#counted(stream))),
      dialTls: async (options, signal) => this.#counted(await net.dialTls(options, signal)),
    }
  }

  #counted(stream: TlsStream): TlsStream {
    const read = async (): Promise<Uint8Array | undefined> => {
      const data = await stream.read()
      this.bytes += data?.length ?? 0
      return data
    }
    return new Proxy(stream, {
      get: (object, key) => {
        const value: unknown = key === 'read' ? read : Reflect.get(object, key, object)
        return typeof value === 'function' && key !== 'read' ? value.bind(object) : value
      },
    })
  }
}
