import { LIVENESS_PATHS } from '../rest/liveness.ts'
import type { HttpHandler, HttpRequest, HttpServer } from '../platform/http.ts'

/** The REST interface listens before the services run: requests that may need one wait until they are started. */
export class EarlyRequests {
  readonly #started = Promise.withResolvers<void>()
  #isStarted = false

  /** To be called when the services have been started, or never will be. */
  release(): void {
    this.#isStarted = true
    this.#started.resolve()
  }

  holdAt(http: HttpServer): HttpServer {
    return { listen: async (options, handler) => await http.listen(options, this.#holding(handler)) }
  }

  #holding(handler: HttpHandler): HttpHandler {
    const later = async (request: HttpRequest) => {
      await this.#started.promise
      return await handler(request)
    }
    return (request) => (this.#isStarted || LIVENESS_PATHS.has(request.target) ? handler(request) : later(request))
  }
}
