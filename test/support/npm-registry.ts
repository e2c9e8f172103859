import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

type Json = Readonly<Record<string, unknown>>

/** A response that replaces that of the registry. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** An npm registry on this machine with one package in it: the routes of installing, publishing and queries. */
export class NpmRegistry implements AsyncDisposable {
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers'] }[] =
    []
  readonly #server: Server
  readonly #manifests = new Map<string, Json>()
  readonly #tarballs = new Map<string, Buffer>()
  latest: string | undefined
  /** Replaces every response. */
  answer: Answer | undefined

  private constructor() {
    this.#server = createServer((request, response) => {
      this.requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers })
      if (this.answer !== undefined) this.answer(request, response)
      else void this.#route(request, response)
    })
  }

  static async start(): Promise<NpmRegistry> {
    const registry = new NpmRegistry()
    registry.#server.listen(0, '127.0.0.1')
    await once(registry.#server, 'listening')
    return registry
  }

  get url(): string {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/` : ''
  }

  /** The address of the package. */
  get source(): string {
    return `${this.url}twinfold`
  }

  /** Adds a release, which becomes the latest. */
  release(version: string, more: Json = {}, tarball?: Buffer): void {
    const dist =
      tarball === undefined
        ? {}
        : {
            dist: {
              tarball: `${this.url}twinfold/-/${version}.tgz`,
              integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
            },
          }
    this.#manifests.set(version, { name: 'twinfold', version, ...more, ...dist })
    if (tarball !== undefined) this.#tarballs.set(version, tarball)
    this.latest = version
  }

  manifest(version: string): Json | undefined {
    return this.#manifests.get(version)
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '')
    if (request.method === 'PUT' && path === '/twinfold') return this.#publish(request, response)
    const [, version] = /^\/twinfold\/-\/(.+)\.tgz$/.exec(path) ?? []
    const tarball = this.#tarballs.get(version ?? '')
    if (tarball !== undefined) return void response.end(tarball)
    if (path === '/twinfold' && this.#manifests.size > 0) return send(response, this.#list(request))
    const manifest = this.#manifests.get(path.replace('/twinfold/', ''))
    if (manifest !== undefined) return send(response, manifest)
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not found"}')
  }

  /** The short form has no fields of the package's own, as the real one. */
  #list(request: IncomingMessage): Json {
    const isShort = request.headers.accept?.includes('application/vnd.npm.install-v1+json') === true
    const { latest } = this
    const shown = ({ name, version, dist, deprecated, bin }: Json): Json => ({ name, version, dist, deprecated, bin })
    const versions = [...this.#manifests].map(([version, manifest]) => [version, isShort ? shown(manifest) : manifest])
    return { name: 'twinfold', 'dist-tags': { latest }, versions: Object.fromEntries(versions) }
  }

  async #publish(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    const { versions, _attachments } = JSON.parse(text)
    const [tarball] = Object.values<{ data: string }>(_attachments)
    for (const [version, manifest] of Object.entries<Json>(versions))
      this.release(version, manifest, Buffer.from(tarball?.data ?? '', 'base64'))
    send(response, { ok: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

function send(response: ServerResponse, body: Json): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
