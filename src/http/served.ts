import type { Grant } from '../core/access.ts'
import { limitDeps } from './access/limited-deps.ts'
import { allRoutes, type RouteContext } from './all-routes.ts'
import type { Served } from './pipeline/pipeline.ts'
import type { RestDeps, RestOptions } from './types.ts'
import { Drive } from './webdav/drive.ts'

/** Every route and the network drive, once for the owner and once for each grant that is used. */
export class AllServed {
  readonly #deps: RestDeps
  readonly #options: RestOptions
  readonly #context: RouteContext
  readonly #whole: Served
  readonly #limited = new WeakMap<Grant, Served>()

  constructor(deps: RestDeps, options: RestOptions, context: RouteContext) {
    this.#deps = deps
    this.#options = options
    this.#context = context
    this.#whole = this.#over(deps)
  }

  for(grant: Grant | undefined): Served {
    if (grant === undefined) return this.#whole
    let served = this.#limited.get(grant)
    if (served === undefined) {
      served = this.#over(limitDeps(this.#deps, grant, this.#options))
      this.#limited.set(grant, served)
    }
    return served
  }

  #over(parts: RestDeps): Served {
    return { routes: allRoutes(parts, this.#context), drive: new Drive(parts) }
  }
}
