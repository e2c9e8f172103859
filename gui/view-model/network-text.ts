import { t } from '../i18n/texts.ts'
import { errorText } from './error-text.ts'
import { isWithoutInternet, type NetworkLine } from './network.ts'

/** The state of one part of the network as text. */
export function networkText(line: NetworkLine): string {
  const { tone, error, addresses = [], port } = line
  if (isWithoutInternet(line)) return t('network.noInternet')
  if (error !== undefined) return errorText(error)
  if (tone === 'busy') return t('network.searching')
  const text = addresses.join(', ')
  if (text === '') return t('network.works')
  return port === undefined
    ? t('network.reachable', { addresses: text })
    : t('network.mapped', { address: text, port: String(port) })
}
