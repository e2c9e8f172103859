import { PASSWORD_BYTES_MAX } from '../../src/core/config/password.ts'
import type { LiveState } from '../live/state.ts'

export interface LoginDraft {
  readonly user: string
  readonly password: string
  readonly repeated: string
  /** A password is set already, which an empty new one keeps. */
  readonly hasPassword: boolean
}

export type LoginTrouble = 'userMissing' | 'passwordMissing' | 'passwordsDiffer' | 'passwordLong'

/** Why a user and password cannot be saved; undefined when they can. */
export function loginTrouble({ user, password, repeated, hasPassword }: LoginDraft): LoginTrouble | undefined {
  if (user.trim() === '') return 'userMissing'
  if (password === '' && repeated === '' && !hasPassword) return 'passwordMissing'
  if (password !== repeated) return 'passwordsDiffer'
  return new TextEncoder().encode(password).length > PASSWORD_BYTES_MAX ? 'passwordLong' : undefined
}

/** Whether the daemon requires a login. */
export function wantsLogin({ config }: Pick<LiveState, 'config'>): boolean {
  return (
    config !== undefined && (config.gui.authMode === 'ldap' || (config.gui.user !== '' && config.gui.password !== ''))
  )
}
