import { lstatSync, unlinkSync } from 'node:fs'
import { connect, type AddressInfo, type Server } from 'node:net'
import type { HttpListenOptions } from '../../http.ts'
import { boundSocket } from '../net/bound-socket.ts'

export type NetServer = Server

/** Binds a server to `host:port` or a socket path; resolves with the address in use, rejects with the system's code. */
export async function bindListener(server: NetServer, options: HttpListenOptions): Promise<string> {
  const { address } = options
  if (address.startsWith('/')) {
    await removeStaleSocket(address)
    await listening(server, () => withSocketMode(options.unixSocketMode, () => server.listen({ path: address })))
    return address
  }
  const { host, port } = splitHostPort(address)
  await listening(server, () => server.listen(boundSocket(host, port) ?? (host === '' ? { port } : { host, port })))
  const bound = server.address() as AddressInfo
  return bound.family === 'IPv6' ? `[${bound.address}]:${bound.port}` : `${bound.address}:${bound.port}`
}

async function listening(server: NetServer, start: () => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('listening', resolve).once('error', reject)
  try {
    start()
    await promise
  } finally {
    server.off('listening', resolve).off('error', reject)
  }
  // A failing accept (too many open files) must not end the process; open connections continue.
  server.on('error', () => {})
}

/** `listen` binds synchronously: with the umask set around it the socket never has a wider mode. */
function withSocketMode(mode: number | undefined, bind: () => void): void {
  if (mode === undefined || mode === 0) return bind()
  const before = process.umask(~mode & 0o777)
  try {
    bind()
  } finally {
    process.umask(before)
  }
}

/** Removes a socket file without a listener. Any other item stays, and the bind fails. */
async function removeStaleSocket(path: string): Promise<void> {
  const isSocket = lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true
  if (isSocket && !(await hasListener(path))) unlinkSync(path)
}

function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path })
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

function splitHostPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  const host = colon < 0 ? '' : address.slice(0, colon).replace(/^\[|\]$/g, '')
  const digits = address.slice(colon + 1)
  const port = Number(digits)
  if (colon < 0 || !/^\d+$/.test(digits) || port > 65_535 || (host.includes(':') && !address.startsWith('['))) {
    throw Object.assign(new Error(`${JSON.stringify(address)} is no address to listen on`), { code: 'EINVAL' })
  }
  return { host, port }
}
