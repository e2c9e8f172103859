import type { Compression } from '../core/config.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Connection, Hello } from '../protocol/types.ts'
import type { TlsStream } from '../world/net.ts'

/** What we know of a connection that the protocol does not. */
export interface ConnectionFacts {
  readonly device: DeviceId
  readonly transport: string
  readonly isLocal: boolean
  readonly priority: number
  readonly compression: Compression
}

/** The Hello of the other side, and the connection that can follow it. */
export interface Greeting {
  readonly hello: Hello
  open(facts: ConnectionFacts): Connection
}

/** Says our Hello and hears theirs. Rejects when what comes is no Hello, or the stream ends. */
export type Greet = (stream: TlsStream, own: Hello) => Promise<Greeting>
