//! A transport that ends once every question is answered.
//!
//! The SDK answers for five seconds after the end of input, and drops what is still asked then.

use std::collections::HashSet;
use std::future::{Future, pending};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// The transport of a server, with the questions that wait for their answers.
pub(super) struct UntilAnswered<T> {
    transport: T,
    waiting: HashSet<RequestId>,
    has_ended: bool,
}

impl<T> UntilAnswered<T> {
    pub(super) fn new(transport: T) -> Self {
        Self { transport, waiting: HashSet::new(), has_ended: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for UntilAnswered<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(answer) => self.waiting.remove(&answer.id),
            JsonRpcMessage::Error(answer) => answer.id.as_ref().is_some_and(|id| self.waiting.remove(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
        };
        self.transport.send(message)
    }

    /// The next message. The service asks again after each answer, so it is enough to wait until then.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if !self.has_ended {
            if let Some(message) = self.transport.receive().await {
                self.note(&message);
                return Some(message);
            }
            self.has_ended = true;
        }
        if self.waiting.is_empty() { None } else { pending().await }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

impl<T> UntilAnswered<T> {
    fn note(&mut self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(question) => {
                self.waiting.insert(question.id.clone());
            }
            JsonRpcMessage::Notification(told) => {
                // What is taken back is not answered.
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }
}
