import { isIPv4, type BoundSocket } from 'node:net'

/**
 * With a host Node compiles the expression for IPv6 addresses before it listens, 7 ms of a start; with a bound socket
 * it does not. Undefined for other hosts, for a Node without such sockets, and where it fails: then `listen` does, too.
 */
export function boundSocket(host: string, port: number): BoundSocket | undefined {
  const { BoundSocket: Bound } = process.getBuiltinModule('node:net') as { BoundSocket?: typeof BoundSocket }
  if (Bound === undefined || !isIPv4(host)) return undefined
  try {
    return new Bound({ host, port })
  } catch {
    return undefined
  }
}
