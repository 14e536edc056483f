//! TLS policy: whom to trust, and what a failed handshake means.

use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use crate::outcome::{Failure, Outcome};

/// Whose certificates are accepted.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Those signed by the system's authorities.
    System,
    /// Those signed by the certificates in this PEM text.
    Authorities(Vec<u8>),
    /// Any: for test servers only.
    Anyone,
}

#[allow(clippy::unnecessary_wraps, reason = "a build may have no provider at all")]
fn provider() -> Option<CryptoProvider> {
    #[cfg(feature = "aws-lc-rs")]
    return Some(rustls::crypto::aws_lc_rs::default_provider());
    #[cfg(all(feature = "ring", not(feature = "aws-lc-rs")))]
    return Some(rustls::crypto::ring::default_provider());
    #[cfg(not(any(feature = "aws-lc-rs", feature = "ring")))]
    return None;
}

/// The client configuration for a policy. Errors say what to do.
pub(crate) fn client_config(trust: &Trust) -> Result<ClientConfig, String> {
    let provider = Arc::new(provider().ok_or("this build of breakstep has no TLS")?);
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?;
    let builder = match trust {
        Trust::Anyone => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAnyone(provider)))
        }
        Trust::System => builder.with_root_certificates(system_roots()?),
        Trust::Authorities(pem) => builder.with_root_certificates(roots_of(pem)?),
    };
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn system_roots() -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let (added, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        return Err("this system has no certificate authorities: install ca-certificates, \
                    or give --cacert FILE or --insecure"
            .to_owned());
    }
    Ok(roots)
}

fn roots_of(pem: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|e| format!("the CA file is not PEM: {e}"))?;
        roots.add(certificate).map_err(|e| format!("the CA file holds a bad certificate: {e}"))?;
    }
    if roots.is_empty() {
        return Err("the CA file holds no certificate".to_owned());
    }
    Ok(roots)
}

/// A failed handshake, in words.
pub(crate) fn failure(error: &io::Error) -> Failure {
    let inner = error.get_ref().and_then(|e| e.downcast_ref::<rustls::Error>());
    let cause = match inner {
        Some(rustls::Error::InvalidCertificate(why)) => certificate_cause(why),
        Some(rustls::Error::InvalidMessage(_)) => "the server does not speak TLS on this port",
        Some(rustls::Error::AlertReceived(_)) => "the server refused the TLS handshake",
        Some(_) => "TLS handshake failed",
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            "the server closed the connection during the TLS handshake"
        }
        None => return Failure::io(Outcome::Tls, error, "TLS handshake failed"),
    };
    Failure::new(Outcome::Tls, cause)
}

fn certificate_cause(why: &CertificateError) -> &'static str {
    match why {
        CertificateError::UnknownIssuer => "the certificate's issuer is not trusted",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the certificate has expired"
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the certificate is for another name"
        }
        _ => "the certificate is not valid",
    }
}

#[derive(Debug)]
struct AcceptAnyone(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
