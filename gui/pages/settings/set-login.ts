import { client } from '../../live/client.ts'
import { retryNow } from '../../live/live.ts'

/** Sets user and password of the page, and logs in with them immediately. An empty password keeps the current one. */
export async function setLogin(user: string, password: string): Promise<void> {
  await client.call('PATCH /rest/config/gui', { body: password === '' ? { user } : { user, password } })
  if (password === '') return
  await client.call('POST /rest/noauth/auth/password', { body: { username: user, password, stayLoggedIn: false } })
  retryNow()
}
