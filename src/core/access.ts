/** What a key or a session may do; each scope includes those before it. */
const SCOPES = ['monitor', 'operate', 'admin'] as const

export type Scope = (typeof SCOPES)[number]
