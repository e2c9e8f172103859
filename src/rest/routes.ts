import { CLUSTER_ROUTES } from './cluster-routes.ts'
import { CONFIG_ROUTES } from './config-routes.ts'
import { CONTENT_ROUTES } from './content-routes.ts'
import { COMPLETION_ROUTES, DB_ROUTES } from './db-routes.ts'
import type { Declarations } from './declaration.ts'
import { DESCRIPTION_ROUTES } from './description-routes.ts'
import { DIAGNOSTIC_ROUTES } from './diagnostics.ts'
import { DOCTOR_ROUTES } from './doctor.ts'
import { EVENT_ROUTES } from './events.ts'
import { EXTENSION_ROUTES } from './extensions.ts'
import { MERGE_ROUTES } from './merge.ts'
import { HISTORY_ROUTES } from './history.ts'
import { HOOK_ROUTES } from './hooks.ts'
import { GUARD_ROUTES } from './guard.ts'
import { INVITATION_ROUTES } from './invitations.ts'
import { KEPT_ROUTES } from './kept.ts'
import { KEY_ROUTES } from './keys.ts'
import { SERIES_ROUTES } from './series.ts'
import { SCHEDULE_ROUTES } from './schedule.ts'
import { SETUP_ROUTES } from './setup.ts'
import { PLAN_ROUTES } from './plan.ts'
import { LIVENESS_ROUTES } from './liveness.ts'
import {
  DEBUG_ROUTES,
  LIFECYCLE_ROUTES,
  NOAUTH_ROUTES,
  PICTURE_ROUTES,
  STATIC_ROUTES,
  SYSTEM_ROUTES,
} from './system-routes.ts'
import { TRASH_ROUTES } from './trash.ts'
import { TWINFOLD_ROUTES } from './twinfold-routes.ts'
import { UNDO_ROUTES } from './undo.ts'
import { REMEDY_ROUTES } from './remedies.ts'
import { REWIND_ROUTES } from './rewind.ts'
import { LOCAL_CHANGE_ROUTES, VERSION_ROUTES } from './versions.ts'

/** Every route of the interface. */
export const ROUTES = {
  ...DB_ROUTES,
  ...COMPLETION_ROUTES,
  ...LOCAL_CHANGE_ROUTES,
  ...VERSION_ROUTES,
  ...LIVENESS_ROUTES,
  ...SYSTEM_ROUTES,
  ...LIFECYCLE_ROUTES,
  ...CLUSTER_ROUTES,
  ...DEBUG_ROUTES,
  ...EVENT_ROUTES,
  ...CONFIG_ROUTES,
  ...NOAUTH_ROUTES,
  ...STATIC_ROUTES,
  ...PICTURE_ROUTES,
  ...DESCRIPTION_ROUTES,
  ...DIAGNOSTIC_ROUTES,
  ...DOCTOR_ROUTES,
  ...TWINFOLD_ROUTES,
  ...EXTENSION_ROUTES,
  ...MERGE_ROUTES,
  ...CONTENT_ROUTES,
  ...HISTORY_ROUTES,
  ...HOOK_ROUTES,
  ...GUARD_ROUTES,
  ...INVITATION_ROUTES,
  ...KEPT_ROUTES,
  ...KEY_ROUTES,
  ...SERIES_ROUTES,
  ...SCHEDULE_ROUTES,
  ...SETUP_ROUTES,
  ...PLAN_ROUTES,
  ...UNDO_ROUTES,
  ...TRASH_ROUTES,
  ...REMEDY_ROUTES,
  ...REWIND_ROUTES,
} as const satisfies Declarations

export type Routes = typeof ROUTES
export type RouteKey = keyof Routes
