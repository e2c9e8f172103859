/** `GET /rest/events` and `GET /rest/events/disk`. `timeout` in seconds; `limit` keeps the last rows. */
export interface EventsQuery {
  readonly since?: number
  readonly limit?: number
  readonly timeout?: number
  /** Comma-separated types; not on `/rest/events/disk`. */
  readonly events?: string
}

/** `id` counts within one selection of types, `globalID` over all events of the process. */
export interface EventJson {
  readonly id: number
  readonly globalID: number
  readonly time: string
  readonly type: string
  readonly data: unknown
}
