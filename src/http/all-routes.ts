import type { Auth } from './pipeline/auth.ts'
import type { RequestMeter } from './pipeline/meter.ts'
import { RouteTable } from './pipeline/route.ts'
import type { UndoLog } from './pipeline/undo-log.ts'
import { GuiFiles } from './static/gui-files.ts'
import { clusterRoutes } from './routes/cluster.ts'
import { completionRoutes } from './routes/completion.ts'
import { configRoutes } from './routes/config.ts'
import { contentRoutes } from './routes/content.ts'
import { dbRoutes } from './routes/db.ts'
import { debugRoutes } from './routes/debug.ts'
import { descriptionRoutes } from './routes/description.ts'
import { doctorRoutes } from './routes/doctor.ts'
import { diagnosticRoutes } from './routes/diagnostics.ts'
import { eventRoutes } from './routes/events.ts'
import { extensionRoutes } from './routes/extensions.ts'
import { mergeRoutes } from './routes/merge.ts'
import { guardRoutes } from './routes/guard.ts'
import { historyRoutes } from './routes/history.ts'
import { hookRoutes } from './routes/hooks.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { keptRoutes } from './routes/kept.ts'
import { keyRoutes } from './routes/keys.ts'
import { livenessRoutes } from './routes/liveness.ts'
import { lifecycleRoutes } from './routes/lifecycle.ts'
import { localChangeRoutes } from './routes/local-changes.ts'
import { noAuthRoutes } from './routes/noauth.ts'
import { pulseJson, summaryJson } from './routes/summary.ts'
import { planRoutes } from './routes/plan.ts'
import { qrRoutes } from './routes/qr.ts'
import { remedyRoutes } from './routes/remedies.ts'
import { rewindRoutes } from './routes/rewind.ts'
import { seriesRoutes } from './routes/series.ts'
import { scheduleRoutes } from './routes/schedule.ts'
import { setupRoutes } from './routes/setup.ts'
import { staticRoutes } from './static/static.ts'
import { systemRoutes } from './routes/system.ts'
import { trashRoutes } from './routes/trash.ts'
import { twinfoldRoutes } from './routes/twinfold.ts'
import { undoRoutes } from './routes/undo.ts'
import { versionRoutes } from './routes/versions.ts'
import type { RestDeps, RestOptions } from './types.ts'

/** What routes use of the server, whoever sends the request. */
export interface RouteContext {
  readonly options: RestOptions
  readonly auth: Auth
  readonly facts: { readonly version: string; readonly deviceId: RestOptions['deviceId']; readonly shortId: string }
  readonly started: { readonly startedMs: number; readonly startedMonotonicMs: number }
  /** Identifies this run in ids of events. */
  readonly run: string
  readonly meter: RequestMeter
  readonly undo: UndoLog
  address(): string
}

/** Every route, over these parts. */
export function allRoutes(parts: RestDeps, context: RouteContext): RouteTable {
  const { options, auth, facts, started, run, meter, undo, address } = context
  const deps = { ...parts, undo }
  return new RouteTable([
    ...livenessRoutes(),
    ...dbRoutes(deps),
    ...localChangeRoutes(deps),
    ...versionRoutes(deps.hub),
    ...completionRoutes(deps),
    ...systemRoutes(deps, options, { address, ...started }),
    ...lifecycleRoutes(deps),
    ...clusterRoutes(deps, options.deviceId),
    ...debugRoutes(deps.log),
    ...eventRoutes(deps, run),
    ...configRoutes(deps, options.deviceId),
    ...noAuthRoutes(deps.config, auth),
    ...staticRoutes(new GuiFiles(deps.disk, options.guiDirectories), facts),
    ...descriptionRoutes(facts.version),
    ...doctorRoutes(deps),
    ...qrRoutes(),
    ...extensionRoutes(deps),
    ...mergeRoutes(deps),
    ...guardRoutes(deps.hub),
    ...historyRoutes(deps),
    ...hookRoutes(deps),
    ...invitationRoutes(deps),
    ...keptRoutes(deps.hub),
    ...keyRoutes(deps),
    ...trashRoutes(deps.hub),
    ...remedyRoutes(deps),
    ...rewindRoutes(deps.rewinder),
    ...seriesRoutes(deps),
    ...scheduleRoutes(deps),
    ...setupRoutes(deps.setup),
    ...twinfoldRoutes(deps, {
      summary: () => summaryJson(deps, options, started),
      pulse: () => pulseJson(deps, options.deviceId, started),
    }),
    ...planRoutes(deps),
    ...undoRoutes(deps),
    ...contentRoutes(deps.content),
    ...diagnosticRoutes(deps, options, { ...started, meter }),
  ])
}
