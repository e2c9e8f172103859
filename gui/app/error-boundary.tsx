import { Component, type ComponentChildren } from 'preact'
import { Button } from '../ui/button.tsx'
import { EmptyNote } from '../ui/parts.tsx'
import { t } from '../i18n/texts.ts'

const RETRY_MS = 3_000

interface ErrorBoundaryProps {
  /** When it changes, a failed part is tried again at once. */
  readonly place?: string
  readonly children: ComponentChildren
}

/** Shows a sentence for a part of the page that cannot be drawn from the replies of the daemon, and tries it again. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }
  #retry: ReturnType<typeof setTimeout> | undefined

  static override getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidUpdate({ place }: ErrorBoundaryProps) {
    clearTimeout(this.#retry)
    if (this.state.hasFailed && place !== this.props.place) this.#again()
    else if (this.state.hasFailed) this.#retry = setTimeout(this.#again, RETRY_MS)
  }

  override componentWillUnmount() {
    clearTimeout(this.#retry)
  }

  readonly #again = () => this.setState({ hasFailed: false })

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <EmptyNote action={<Button onClick={this.#again}>{t('link.retry')}</Button>}>{t('page.unexpected')}</EmptyNote>
    )
  }
}
