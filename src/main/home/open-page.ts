import type { GuiConfig } from '../../core/config/config.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseGuiAddress } from '../../http/pipeline/address.ts'
import { isAuthOn } from '../../http/pipeline/auth.ts'

/** The address before a configuration exists. */
const DEFAULT_ADDRESS = '127.0.0.1:8384'

/**
 * Refuses to start if every host on the network could use the page. `gui` is undefined before the first start,
 * `override` is the value of `--gui-address` or `STGUIADDRESS`.
 */
export function refuseOpenPage(gui: GuiConfig | undefined, override: string | undefined): void {
  if (gui?.enabled === false && override === undefined) return
  if (gui !== undefined && isAuthOn(gui)) return
  const address = override ?? gui?.address ?? DEFAULT_ADDRESS
  const { listen, loopback } = parseGuiAddress(address)
  if (loopback || listen.startsWith('/')) return
  throw new TwinfoldError(
    'bad-request',
    `the page on ${address} would be open to everybody who reaches it, because no password is set; set one by ` +
      'running this image once on the same volumes as "generate --gui-user NAME --gui-password -", with the ' +
      'password on standard input, or leave the page on 127.0.0.1',
  )
}
