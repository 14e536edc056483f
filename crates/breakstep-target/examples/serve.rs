//! The model server on its own: `serve --servers 8 --service constant:20ms --fast-errors true`.

use breakstep_target::{Parameters, Server};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let pairs: Vec<(String, String)> = words
        .chunks(2)
        .map(|pair| (pair[0].trim_start_matches('-').to_owned(), pair[1..].concat()))
        .collect();
    let parameters = Parameters::parse(&pairs).map_err(|faults| faults.join("\n"))?;
    let server = Server::start(parameters)?;
    println!("listening on {}", server.address());
    // Serves until its input ends.
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    println!("{}", server.truth());
    Ok(server.stop()?)
}
