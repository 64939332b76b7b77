import { useWords } from '../messages/messages.tsx'
import { useMe, usePlaceName } from '../shared/me.ts'
import { Heading, Name } from '../shared/text.tsx'
import { Attention } from './attention.tsx'
import { Figures, SignIns, useMetrics } from './figures.tsx'
import { FirstSteps } from './steps.tsx'
import './overview.css'

/** Does it run, what needs me? */
export function Overview() {
  const words = useWords()
  const { reach } = useMe()
  const where = usePlaceName()(reach)
  return (
    <>
      <div className="top">
        <Heading>{words.overview}</Heading>
        <span className="soft">
          <Name>{where}</Name>
        </span>
      </div>
      <FirstSteps />
      <Figures />
      <div className="overview">
        {useMetrics().includes('sign_ins') && <SignIns />}
        <Attention />
      </div>
    </>
  )
}
