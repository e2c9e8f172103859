import { client } from '../live/client.ts'
import { confirm } from '../ui/confirm.tsx'
import { t } from '../i18n/texts.ts'
import { runAction } from './run-action.ts'

/** Restarts the daemon after a confirmation. */
export async function restartDaemon(): Promise<void> {
  const wanted = await confirm({
    title: t('power.restartTitle'),
    text: t('power.restartText'),
    action: t('power.restart'),
  })
  if (wanted) await runAction(() => client.restart(), t('power.restarting'))
}

/** Shuts down the daemon after a confirmation. */
export async function shutDownDaemon(): Promise<void> {
  const wanted = await confirm({
    title: t('power.shutdownTitle'),
    text: t('power.shutdownText'),
    action: t('power.shutdown'),
    danger: true,
  })
  if (wanted) await runAction(() => client.shutdown(), t('power.shuttingDown'))
}
