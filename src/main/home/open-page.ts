import type { GuiConfig } from '../../core/config/config.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseGuiAddress } from '../../http/pipeline/address.ts'
import { isAuthOn } from '../../http/pipeline/auth.ts'

/** The address before a configuration exists. */
const DEFAULT_ADDRESS = '127.0.0.1:8384'

/**
 * The address on which every host of the network could use the page, because no password is set; undefined if there is
 * none. `gui` is undefined before the first start, `override` is the value of `--gui-address` or `STGUIADDRESS`.
 */
export function openPageAddress(gui: GuiConfig | undefined, override: string | undefined): string | undefined {
  if (gui?.enabled === false && override === undefined) return undefined
  if (gui !== undefined && isAuthOn(gui)) return undefined
  const address = override ?? gui?.address ?? DEFAULT_ADDRESS
  const { listen, loopback } = parseGuiAddress(address)
  return loopback || listen.startsWith('/') ? undefined : address
}

/** Refuses to start the container with an open page. */
export function refuseOpenPage(gui: GuiConfig | undefined, override: string | undefined): void {
  refuse(
    openPageAddress(gui, override),
    'set one by running this image once on the same volumes as "generate --gui-user NAME --gui-password -", with the ' +
      'password on standard input, or leave the page on 127.0.0.1',
  )
}

/** Refuses to create a home whose page is open from its first start. */
export function refuseOpenNewHome(override: string | undefined): void {
  refuse(
    openPageAddress(undefined, override),
    'set one first with "generate --gui-user NAME --gui-password -", with the password on standard input, leave the ' +
      'page on 127.0.0.1, or accept an open page with --allow-open-gui',
  )
}

function refuse(address: string | undefined, remedy: string): void {
  if (address === undefined) return
  throw new TwinfoldError(
    'refused',
    `the page on ${address} would be open to everybody who reaches it, because no password is set; ${remedy}`,
  )
}
