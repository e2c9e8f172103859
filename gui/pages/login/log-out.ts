import { dropAllDrafts } from '../../base/draft.ts'
import { client } from '../../live/client.ts'
import { forgetState } from '../../live/live.ts'

/** Ends the session; the page shows the login and discards its state. */
export async function logOut(): Promise<void> {
  await client.call('POST /rest/noauth/auth/logout')
  dropAllDrafts()
  forgetState()
}
