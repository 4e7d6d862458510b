import type { Session } from '../ports/sessions.ts';

export interface SessionRow {
  key: string;
  name: string;
  role: Session['role'];
  method: Session['method'];
  token: string | null;
  created_at: number;
  used_at: number;
  expires_at: number;
}

export interface SignInRow {
  key: string;
  verifier: string;
  nonce: string;
  target: string;
  expires_at: number;
}
