import type { LocalCall } from '../../cli/args/types.ts'
import { TwinfoldError } from '../../core/errors.ts'

export async function upgradeCommand({ printError }: LocalCall): Promise<never> {
  printError('WARNING: Checking for upgrade: upgrade unsupported')
  throw new TwinfoldError(
    'bad-request',
    'this installation is upgraded by npm: run "npm install -g twinfold@latest", or "git pull" in a clone',
  )
}
