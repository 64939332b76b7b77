import type { FastifyReply } from 'fastify'
import type { Prompt } from '../protocol/authorize-parameters.ts'
import type { Service } from '../service.ts'
import { answerStep } from '../store/authorization-requests.ts'
import { goOn, type Step } from './step.ts'

/** "Use another account": this request asks for a sign-in again. The session stays until somebody else signs in. */
export async function useAnotherAccount(
  service: Service,
  reply: FastifyReply,
  step: Step,
): Promise<FastifyReply> {
  const { loginHint: _, ...parameters } = step.pending.parameters
  await answerStep(service.store, step.pending.id, {
    signedInSid: null,
    profileUuid: null,
    consented: false,
    // What else was asked for is asked of whoever comes.
    parameters: { ...parameters, prompt: [...new Set<Prompt>([...parameters.prompt, 'select_account'])] },
  })
  return goOn(reply, step)
}
