package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx, own := context.Background(), os.Getenv("URL")
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		RedirectURL:  own + "/callback",
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "email", "profile"},
	}
	var state, nonce, verifier, sub string
	var token *oauth2.Token
	answer := func(w http.ResponseWriter, value any, err error) {
		if err != nil {
			log.Print(err)
			http.Error(w, err.Error(), 500)
			return
		}
		w.Header().Set("content-type", "application/json")
		json.NewEncoder(w).Encode(value)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { answer(w, map[string]string{}, nil) })
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		state, nonce, verifier = rand.Text(), rand.Text(), oauth2.GenerateVerifier()
		http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), 302)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("state") != state {
			http.Error(w, "another state", 400)
			return
		}
		got, err := config.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(verifier))
		if err != nil {
			answer(w, nil, err)
			return
		}
		raw, _ := got.Extra("id_token").(string)
		id, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, raw)
		if err != nil || id.Nonce != nonce {
			http.Error(w, "another nonce", 400)
			return
		}
		token, sub = got, id.Subject
		http.Redirect(w, r, "/who", 302)
	})
	http.HandleFunc("/who", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]string{"sub": sub}, nil)
	})
	http.HandleFunc("/refresh", func(w http.ResponseWriter, r *http.Request) {
		old := *token
		old.Expiry = time.Now().Add(-time.Minute)
		fresh, err := config.TokenSource(ctx, &old).Token()
		if err == nil {
			token = fresh
		}
		answer(w, map[string]bool{"refreshed": err == nil && token.AccessToken != old.AccessToken}, err)
	})
	http.HandleFunc("/call", func(w http.ResponseWriter, r *http.Request) {
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		answer(w, info, err)
	})
	http.HandleFunc("/logout", func(w http.ResponseWriter, r *http.Request) {
		var said struct {
			End string `json:"end_session_endpoint"`
		}
		provider.Claims(&said)
		raw, _ := token.Extra("id_token").(string)
		sub = ""
		http.Redirect(w, r, said.End+"?id_token_hint="+url.QueryEscape(raw), 302)
	})
	at, _ := url.Parse(own)
	log.Fatal(http.ListenAndServe(at.Host, nil))
}
