import { client } from '../../live/client.ts'
import { reconnectAfter } from '../../live/live.ts'

/** Sets user and password of the page, and logs in with them immediately. An empty password keeps the current one. */
export function setLogin(user: string, password: string): Promise<void> {
  return reconnectAfter(async () => {
    await client.call('PATCH /rest/config/gui', { body: password === '' ? { user } : { user, password } })
    if (password === '') return
    await client.call('POST /rest/noauth/auth/password', { body: { username: user, password, stayLoggedIn: false } })
  })
}
